// What a developer's shell has set for languages, proxies, keys and Fovea itself must not reach a test: the result
// would depend on the machine, or cost money.
const dangerous = /^(LANG|LANGUAGE|LC_.*|FOVEA_.*|.*_API_KEY|https?_proxy|no_proxy|all_proxy)$/i;

export function clearEnvironment(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !dangerous.test(name)));
}
