import type { SessionSummary } from '@fovea/core/content';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { sessionLine } from './session-line.ts';

const session: SessionSummary = {
  id: 'ses_1',
  title: 'What does\tthis\nsay?',
  workspace: '/home/me/shots',
  model: 'lab/seer',
  messageCount: 2,
  updatedAt: '2026-11-30T10:20:30.000Z',
};

describe('sessionLine', () => {
  it('has the title early, no tabs, and the home folder as ~', () => {
    expect(sessionLine(session, { homeFolder: '/home/me' })).toBe(
      'ses_1  2026-11-30 10:20  What does this say?  lab/seer  ~/shots',
    );
    expect(sessionLine({ ...session, workspace: '/home/me' }, { homeFolder: '/home/me' })).toMatch(/ {2}~$/);
    expect(sessionLine({ ...session, workspace: '/home/meal' }, { homeFolder: '/home/me' })).toMatch(/\/home\/meal$/);
  });

  it('is cut to the width of a terminal only', () => {
    const wide = { ...session, title: '这个对话框说什么?'.repeat(20) };
    const cut = sessionLine(wide, { homeFolder: '/', widthColumns: 60 });
    expect(stringWidth(cut)).toBeLessThanOrEqual(60);
    expect(stringWidth(cut)).toBeGreaterThan(57);
    expect(cut.endsWith('…')).toBe(true);
    expect(sessionLine(wide, { homeFolder: '/' })).toContain(wide.title);
  });
});
