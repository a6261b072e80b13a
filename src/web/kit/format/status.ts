/** A status at a glance: a shape and a colour beside its word. */
export type Tone = 'good' | 'warn' | 'bad' | 'turning' | 'off'

const tones: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    'active',
    'succeeded',
    'complete',
    'enabled',
    'valid',
    'installed',
    'live',
    'ok',
    'on',
    'verified',
    'done',
    'imported',
  ],
  warn: [
    'retrying',
    'over_quota',
    'partial',
    'warning',
    'expiring',
    'incomplete',
    'degraded',
    'changed',
    'missing',
    'different',
  ],
  bad: ['suspended', 'failed', 'abandoned', 'expired', 'timeout', 'error', 'crashed', 'invalid', 'broken', 'blocked'],
  turning: [
    ...[
      'provisioning',
      'importing',
      'inspecting',
      'syncing',
      'removing',
      'terminating',
      'creating',
      'updating',
      'deleting',
      'queued',
      'leased',
      'running',
      'pending',
    ],
    ...['restoring', 'deploying', 'building', 'starting', 'stopping', 'checking', 'issuing', 'waiting'],
  ],
  off: ['disabled', 'cancelled', 'interrupted', 'skipped', 'stopped', 'kept', 'off', 'none', 'superseded', 'unknown'],
}

export const shapes: Readonly<Record<Tone, string>> = { good: '●', warn: '▲', bad: '■', turning: '◌', off: '○' }

const byStatus: ReadonlyMap<string, Tone> = new Map(
  (Object.keys(tones) as Tone[]).flatMap((tone) => tones[tone].map((status) => [status, tone])),
)

export const toneOf = (status: string): Tone => byStatus.get(status) ?? 'off'
