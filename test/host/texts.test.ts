import { describe, expect, test } from 'vitest'
import { renderAccount, renderedServer } from '../../src/host/parts/render.ts'
import type { Rendered } from '../../src/host/parts/spec.ts'
import { account, mailDomain, type Over, server } from './helpers.ts'

/** Everything rendered, as one text: each file with its mode and owner, then the directories. */
function received(rendered: readonly Rendered[]): string {
  const files = rendered.flatMap((part) => part.files).sort((a, b) => (a.path < b.path ? -1 : 1))
  const dirs = rendered.flatMap((part) => part.dirs)
  return [
    ...files.map((file) => `=== ${file.path} ${ownership(file)}${file.once ? ' once' : ''}\n${file.content}`),
    '=== directories\n',
    ...dirs.map((dir) => `${dir.path} ${ownership(dir)}${dir.border ? ' border' : ''}\n`).sort(),
  ].join('')
}

const ownership = ({ mode, uid, gid }: { mode: number; uid: unknown; gid: unknown }) =>
  `${mode.toString(8)} ${uid}:${gid}`

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM3Dm3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd'
const routed = (routing: 'remote' | 'backup') => ({ mail: { domains: [mailDomain('bob.example', { routing })] } })

const cronJobs = [{ id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', schedule: '*/5 * * * mon-fri' }]

const kinds: Record<string, Over> = {
  active: { shell: '/bin/bash', parts: { ssh: { enabled: true, keys: [sshKey] }, cron: { jobs: cronJobs } } },
  suspended: {
    shell: '/bin/bash',
    suspended: true,
    parts: { ssh: { enabled: true, keys: [sshKey] }, cron: { jobs: cronJobs } },
  },
  cgi: { parts: { web: { cgi: true } } },
  'without-php': { parts: { limits: { phpChildren: 0 }, php: { children: 0 }, web: { php: false } } },
  ipv6: { ipAddress: '2001:db8::7', parts: { mail: { spamBox: false } } },
  'mail-elsewhere': { parts: routed('remote') },
  'mail-backup': { parts: { ...routed('backup'), limits: { diskMb: undefined, phpChildren: undefined } } },
}

describe('rendered texts', () => {
  test.each(Object.entries(kinds))('renders every text of an account, verbatim: %s', async (name, over) => {
    const rendered = renderAccount(account(over), server)
    await expect(received([...rendered.values()])).toMatchFileSnapshot(`texts/${name}.txt`)
  })

  test('renders the texts that all accounts share, verbatim', async () => {
    await expect(received([renderedServer])).toMatchFileSnapshot('texts/server.txt')
  })
})
