import { describe, expect, it } from 'vitest';
import { endpointIdentity } from './endpoint-identity.ts';

const lab = { wireApi: 'openai-chat', baseUrl: 'https://lab.example/secret-path/v1', model: 'seer' } as const;

describe('endpointIdentity', () => {
  it('is the same for two spellings of one base URL', () => {
    expect(endpointIdentity({ ...lab, baseUrl: `${lab.baseUrl}/` })).toBe(endpointIdentity(lab));
    expect(endpointIdentity({ ...lab, baseUrl: 'HTTPS://LAB.example:443/secret-path/v1' })).toBe(endpointIdentity(lab));
  });

  it('differs by wire API, base URL and model', () => {
    const identities = [
      lab,
      { ...lab, wireApi: 'openai-responses' as const },
      { ...lab, baseUrl: 'https://lab.example/other/v1' },
      { ...lab, model: 'blind' },
    ].map(endpointIdentity);
    expect(new Set(identities).size).toBe(4);
  });

  it('names wire API and model, and does not show the base URL', () => {
    expect(endpointIdentity(lab)).toMatch(/^openai-chat:[0-9a-f]{24}:seer$/);
  });

  it('works for the built-in reader, which has no address', () => {
    expect(endpointIdentity({ wireApi: 'offline', baseUrl: '', model: 'reader' })).toMatch(/^offline:.*:reader$/);
  });
});
