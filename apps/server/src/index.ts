// Kept light: what needs the services loads them when it is called, so that an executable can ask
// for the home folder or the language without paying for a database and picture codecs.
export type { ModelUsage, SessionUsage, UndoneFile, UndoneTurn } from '@fovea/core/agent';
export type { LocalServers } from './channels/local-servers.ts';
export { findClosestName } from './closest-name.ts';
export type { Config } from './config/config.ts';
export { detectLocale, type Environment } from './config/environment.ts';
export { configFilePath, findHome } from './config/home.ts';
export { type LoadConfigInput, type LoadedConfig, loadConfig } from './config/load-config.ts';
export { type ConsentInAdvance, createApprover } from './create-approver.ts';
export type {
  AcceptedReceipt,
  Fovea,
  Inspection,
  InspectOptions,
  MaintenanceOptions,
  ModelChoice,
  SessionHolder,
  TurnAttachment,
  TurnInput,
  WireVariant,
} from './fovea.ts';
export type { LogSink } from './json-lines-logger.ts';
export { spokenWireApis } from './lazy-providers.ts';
export { SENDER_LEFT } from './sender-left.ts';
export { type StartedFovea, type StartFoveaInput, startFovea } from './start-fovea.ts';
