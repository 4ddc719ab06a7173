// Turns the floors table (scripts/floors.mjs) into rules. Type imports count; tests are judged by rules of
// their own: what their floor may import, the fakes of testing/, and any installed package.
import { fileURLToPath } from 'node:url';
import { apps, everywhere, floors, testing } from './scripts/floors.mjs';

const testFile = '\\.test\\.ts$';
const ourCode = '^(packages|apps)/[^/]+/src/';
const packageFolder = '(^|/)node_modules/';
const facade = '^packages/core/src/[^/]+/index\\.ts$';

const escaped = (text) => text.replace(/[.+*?^$()[\]{}|\\/]/g, '\\$&');
const inFolder = (folder) => `^${escaped(folder)}/`;
const onlyFile = (file) => `^${escaped(file)}$`;
const packageNamed = (names) => `${packageFolder}(?:${names.map(escaped).join('|')})(?:/|$)`;
const folderOf = new Map(floors.map((floor) => [floor.name, floor.folder]));

function allowedPaths(unit) {
  const names = unit.mayImport === 'all' ? floors.map((floor) => floor.name) : unit.mayImport;
  return [
    inFolder(unit.folder),
    ...names.map((name) => inFolder(folderOf.get(name) ?? name)),
    ...(unit.mayImportFiles ?? []).map(onlyFile),
  ];
}

function rulesOf(unit) {
  const product = { path: inFolder(unit.folder), pathNot: testFile };
  const rules = [
    {
      name: `${unit.name}-imports-only-allowed-floors`,
      comment: `The floors that ${unit.folder} may import are in scripts/floors.mjs.`,
      from: product,
      to: { path: ourCode, pathNot: allowedPaths(unit) },
    },
    {
      name: `${unit.name}-tests-import-only-allowed-floors`,
      comment: 'A test may import what its floor may, and testing/.',
      from: { path: `${inFolder(unit.folder)}.*${testFile}` },
      to: { path: ourCode, pathNot: [...allowedPaths(unit), inFolder(testing.folder)] },
    },
    {
      name: `${unit.name}-uses-only-allowed-packages`,
      comment: `The packages that ${unit.folder} may use are in scripts/floors.mjs.`,
      from: product,
      to: {
        path: packageFolder,
        pathNot: packageNamed([...everywhere, ...unit.packages, ...(unit.typeOnlyPackages ?? [])]),
      },
    },
  ];
  if (unit.typeOnlyPackages !== undefined) {
    rules.push({
      name: `${unit.name}-imports-only-types-of-foreign-clients`,
      comment: 'Their types check our shapes; their clients are not used.',
      from: product,
      to: { path: packageNamed(unit.typeOnlyPackages), dependencyTypesNot: ['type-only'] },
    });
  }
  if (unit.pure === true) {
    rules.push({
      name: `${unit.name}-has-no-node-modules`,
      comment: 'A page imports this floor too.',
      from: product,
      to: { dependencyTypes: ['core'] },
    });
  }
  return rules;
}

export default {
  forbidden: [
    ...[...floors, testing, ...apps].flatMap(rulesOf),
    {
      name: 'core-imports-files-not-facades',
      comment: 'Inside packages/core import the file you need; façades are for apps.',
      from: { path: '^packages/core/src/' },
      to: { path: facade },
    },
    {
      name: 'apps-import-facades',
      comment: 'An app imports @fovea/core/<floor>, never a file behind it (tests may import testing/).',
      from: { path: '^apps/' },
      to: { path: '^packages/core/src/', pathNot: [facade, inFolder(testing.folder)] },
    },
    {
      name: 'product-never-imports-testing',
      from: { path: ourCode, pathNot: [testFile, inFolder(testing.folder)] },
      to: { path: inFolder(testing.folder) },
    },
    { name: 'nobody-imports-a-test', from: {}, to: { path: testFile } },
    { name: 'no-cycles', from: { path: ourCode }, to: { circular: true } },
    { name: 'every-import-resolves', from: { path: ourCode }, to: { couldNotResolve: true } },
  ].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: fileURLToPath(new URL('./tsconfig.node.json', import.meta.url)) },
    doNotFollow: { path: packageFolder },
    // Our own build output; a package's `dist` has to stay visible, else its import is not seen at all.
    exclude: { path: '^(?:packages|apps)/(?!.*node_modules/).*/dist/' },
    moduleSystems: ['es6', 'cjs'],
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'types', 'import', 'node', 'default'],
      mainFields: ['types', 'module', 'main'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
