/** What a status means at a glance: a shape and a colour beside its word. */
export type Tone = 'good' | 'warn' | 'bad' | 'turning' | 'off'

const tones: Readonly<Record<Tone, readonly string[]>> = {
  good: ['active', 'succeeded', 'complete', 'enabled', 'valid', 'installed', 'live', 'ok', 'on', 'verified', 'done'],
  warn: ['retrying', 'over_quota', 'partial', 'warning', 'expiring', 'incomplete', 'degraded', 'changed', 'missing'],
  bad: ['suspended', 'failed', 'abandoned', 'expired', 'timeout', 'error', 'crashed', 'invalid', 'broken'],
  turning: [
    ...['provisioning', 'terminating', 'creating', 'updating', 'deleting', 'queued', 'leased', 'running', 'pending'],
    ...['restoring', 'deploying', 'building', 'starting', 'stopping', 'checking', 'issuing', 'waiting'],
  ],
  off: ['disabled', 'cancelled', 'interrupted', 'skipped', 'stopped', 'kept', 'off', 'none', 'superseded', 'unknown'],
}

export const shapes: Readonly<Record<Tone, string>> = { good: '●', warn: '▲', bad: '■', turning: '◌', off: '○' }

export const toneOf = (status: string): Tone =>
  (Object.keys(tones) as Tone[]).find((tone) => tones[tone].includes(status)) ?? 'off'
