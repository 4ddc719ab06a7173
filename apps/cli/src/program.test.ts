import { type AppError, isAppError, type Locale } from '@fovea/core/base';
import { CommanderError } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { errorLine } from './error-texts.ts';
import { buildProgram, isPrinted, toProgramWords } from './program.ts';
import { cliTexts } from './texts.ts';
import { usageMessage } from './usage-message.ts';

/** What a command line prints, or the line of what it throws. Nothing is opened. */
async function runProgram(words: readonly string[], locale: Locale = 'en') {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output += String(text);
    return true;
  });
  const program = buildProgram({
    context: {
      locale,
      texts: cliTexts(locale),
      currentFolder: '/',
      configFile: '/config.jsonc',
      foveaHome: '/',
      hasColors: false,
      isPlain: false,
      signal: new AbortController().signal,
      openFovea: () => Promise.reject(new Error('nothing is opened here')),
    },
    version: '0.0.0',
    finish: () => undefined,
  });
  let thrown: AppError | CommanderError | undefined;
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!isAppError(error) && !(error instanceof CommanderError)) throw error;
    if (!isPrinted(error)) thrown = error;
  } finally {
    vi.restoreAllMocks();
  }
  if (thrown === undefined) return { output, message: undefined };
  const message = isAppError(thrown) ? errorLine(thrown, locale) : usageMessage(thrown, locale);
  return { output, message };
}

describe('buildProgram', () => {
  it('prints help for sessions alone, and by the command help', async () => {
    const sessions = await runProgram(['sessions']);
    expect(sessions.message).toBeUndefined();
    expect(sessions.output).toContain('Usage: fovea sessions [options] [command]');
    expect((await runProgram(['help'])).output).toContain('Usage: fovea [options] [command]');
    expect((await runProgram(['help', 'run'])).output).toContain('Usage: fovea run [options] [prompt...]');
    expect((await runProgram(['help', 'sessions', 'list'])).output).toContain('Usage: fovea sessions list');
  });

  it.each([
    [['sesions'], 'Did you mean sessions?'],
    [['sessions', 'lst'], 'Did you mean list?'],
    [['help', 'inspekt'], 'Did you mean inspect?'],
    [['What does shot.png say?'], `unknown command 'What does shot.png say?'. To ask once: fovea run "…"`],
    [['run', '--modl', 'x'], "unknown option '--modl'. Did you mean --model?"],
  ])('suggests what %j may have meant', async (words, hint) => {
    const { message, output } = await runProgram(words);
    expect(message).toContain(hint);
    expect(output).toBe('');
  });

  it.each([
    [['sesions'], '未知命令“sesions”。是否想用 sessions?只问一次:fovea run "…"。全部命令:fovea help'],
    [['run', '--modl', 'x'], '未知选项 --modl。是否想用 --model?'],
    [['inspect'], '缺少参数 path'],
    [['run', '--attach'], '选项 --attach <path or url> 缺少值'],
    [['inspect', 'a.png', '--as', "po'ster"], "--as <entry> 的值“po'ster”无效。可选:view-image, read-file, attachment"],
    [['sessions', 'list', '-n', '0'], '-n, --limit <count> 的值“0”无效。请给出不小于 1 的整数。'],
    [['sessions', 'list', 'x'], 'list 的参数过多:应为 0 个,实际为 1 个'],
  ])('says in Chinese what is wrong with %j', async (words, line) => {
    expect((await runProgram(words, 'zh-CN')).message).toBe(line);
  });

  it('speaks Chinese in every part of its help', async () => {
    for (const command of [
      [],
      ['run'],
      ['chat'],
      ['inspect'],
      ['sessions'],
      ['sessions', 'list'],
      ['sessions', 'queue'],
      ['check'],
      ['gc'],
      ['help'],
    ]) {
      const { output } = await runProgram([...command, '--help'], 'zh-CN');
      expect(output).toMatch(/用法: fovea/);
      expect(output).not.toMatch(/choices|default:|\[options\]|\[command\]|[\uff01-\uff5e]/);
    }
  });
});

describe('toProgramWords', () => {
  it('reads --yes=all as a flag of its own, so that no flag takes the prompt', () => {
    expect(toProgramWords(['run', '--yes=all', 'Go'])).toEqual(['run', '--yes-to-all', 'Go']);
    expect(toProgramWords(['run', '--yes', 'Go'])).toEqual(['run', '--yes', 'Go']);
    expect(toProgramWords(['run', '--', '--yes=all'])).toEqual(['run', '--', '--yes=all']);
  });
});
