/** What a finished command tells the shell; fixed by `docs/reference/outside.md`. */
export const exitCodes = {
  done: 0,
  turnFailed: 1,
  usage: 2,
  refused: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
