import { type Argument, type Command, Help, type Option } from 'commander';
import type { HelpTexts } from './help-texts.ts';

/** Makes the help of one command speak the user's language, and its errors silent: `main` prints them. */
export function localizeHelp(command: Command, help: HelpTexts): void {
  const titles: Readonly<Record<string, string>> = {
    'Usage:': help.usage,
    'Arguments:': help.arguments,
    'Options:': help.options,
    'Global Options:': help.options,
    'Commands:': help.commands,
  };
  const plain = new Help();
  const localizePlaceholders = (text: string): string =>
    text.replace('[options]', help.optionsPlaceholder).replace('[command]', help.commandPlaceholder);
  command
    .helpOption('-h, --help', help.showHelp)
    .helpCommand(false)
    .configureHelp({
      styleTitle: (title) => titles[title] ?? title,
      commandUsage: (self) => localizePlaceholders(plain.commandUsage(self)),
      subcommandTerm: (self) => localizePlaceholders(plain.subcommandTerm(self)),
      optionDescription: (option) => describe(option, help),
      argumentDescription: (argument) => describe(argument, help),
      displayWidth: countColumns,
    })
    .configureOutput({ outputError: () => {} });
}

function describe(item: Option | Argument, help: HelpTexts): string {
  const facts = [
    ...(item.argChoices === undefined ? [] : [help.choices(item.argChoices.join(', '))]),
    ...(item.defaultValue === undefined ? [] : [help.defaultValue(String(item.defaultValue))]),
  ];
  return facts.length === 0 ? item.description : help.withFacts(item.description, facts.join('; '));
}

/** Chinese letters and marks are two columns wide. Help holds no escape sequences. */
function countColumns(text: string): number {
  return text.length + (text.match(/[\u2e80-\u9fff\uff00-\uff60]/g)?.length ?? 0);
}
