// A test must not depend on the machine, and must never spend money: what a developer's shell has
// set for languages, proxies, keys and Fovea itself is removed before the first test.
const dangerous = /^(LANG|LANGUAGE|LC_.*|FOVEA_.*|.*_API_KEY|https?_proxy|no_proxy|all_proxy)$/i;

for (const name of Object.keys(process.env)) {
  if (dangerous.test(name)) delete process.env[name];
}
