import type { AppError, Locale } from '@fovea/core/base';
import type { Provider } from '@fovea/core/providers';
import { localizedError } from '../localized-error.ts';
import { serverTexts } from '../texts.ts';
import { findProxy, type ProxySettings, proxyName } from './proxy-settings.ts';

/** A provider whose failed connections name the proxy that they went through, and the way around it. */
export function nameProxyInErrors(
  provider: Provider,
  { settings, locale }: { readonly settings: ProxySettings; readonly locale: Locale },
): Provider {
  return {
    wireApi: provider.wireApi,
    async *stream(request, endpoint, context) {
      for await (const event of provider.stream(request, endpoint, context)) {
        const url = event.type === 'error' && isFailedConnection(event.error) ? new URL(endpoint.baseUrl) : undefined;
        const proxy = url === undefined ? undefined : findProxy(url, settings);
        if (event.type !== 'error' || url === undefined || proxy === undefined) yield event;
        else
          yield {
            type: 'error',
            error: nameProxy(event.error, { proxy: proxyName(proxy), host: url.hostname, locale }),
          };
      }
    },
  };
}

/** Also where what answered did not speak HTTP: with a status it would be an answer of the endpoint. */
function isFailedConnection({ code, data }: AppError): boolean {
  return code === 'ENDPOINT_UNREACHABLE' || (code === 'ENDPOINT_NOT_AN_API' && data['status'] === undefined);
}

function nameProxy(
  error: AppError,
  way: { readonly proxy: string; readonly host: string; readonly locale: Locale },
): AppError {
  const { proxy, host, locale } = way;
  const message = serverTexts(locale).throughProxy({ message: error.message, proxy, host });
  return localizedError(error.code, message, { data: { ...error.data, proxy }, cause: error });
}
