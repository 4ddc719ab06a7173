#!/usr/bin/env node
// CommonJS on purpose (see package.json beside this file): the size of libuv's thread pool must be
// set before the ES module loader starts the pool. Set from an ES module, it has no effect.
'use strict';
const { availableParallelism } = require('node:os');
const { version } = require('../package.json');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`fovea needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exitCode = 2;
} else {
  process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 4);
  import('../dist/main.js').then(
    ({ main }) => main(words),
    (error) => {
      const isNotBuilt =
        error !== null && error.code === 'ERR_MODULE_NOT_FOUND' && /dist[\\/]main\.js/.test(error.message);
      process.stderr.write(isNotBuilt ? 'fovea is not built. Run: npm install\n' : `${error?.stack ?? error}\n`);
      process.exitCode = 2;
    },
  );
}
