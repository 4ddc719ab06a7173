// Biome formats and lints. ESLint adds only what needs types (four rules) and what reads Vue templates.
import vue from 'eslint-plugin-vue';
import { parser as typescriptParser, plugin as typescriptPlugin } from 'typescript-eslint';

export default [
  { ignores: ['**/dist/**', '**/node_modules/**', '.cache/**', 'fixtures/**', 'docs/**'] },
  {
    files: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'scripts/**/*.ts'],
    languageOptions: {
      parser: typescriptParser,
      parserOptions: { project: './tsconfig.node.json', tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@typescript-eslint': typescriptPlugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
    },
  },
  ...vue.configs['flat/recommended'].map((entry) => ({ ...entry, files: ['apps/*/src/**/*.vue'] })),
];
