// Reads a script's options: `--help` prints its usage and exits 0, what is not known gets one line and exits 2.
import { parseArgs } from 'node:util';

/**
 * @param {string} usage what `--help` prints
 * @param {import('node:util').ParseArgsConfig['options']} options
 */
export function readOptions(usage, options) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (values.help !== true) return values;
  } catch (error) {
    // The first sentence names the option; what follows speaks of positional arguments, which no script has.
    process.stderr.write(
      `${error.message.split('\n')[0].split('. ')[0].replace(/\.$/, '')}; --help lists the options\n`,
    );
    process.exit(2);
  }
  process.stdout.write(usage);
  process.exit(0);
}
