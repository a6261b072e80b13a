import { existsSync } from 'node:fs'
import { serverFiles } from '../parts/server/index.ts'
import type { Run } from './commands.ts'
import type { Reload } from './reloads.ts'

const pair: readonly string[] = Object.values(serverFiles)

/** The daemons besides nginx that use the server's certificate, and how each reloads it. */
const reloads = [
  { name: 'postfix-certificate', config: '/etc/postfix/main.cf', words: ['/usr/sbin/postfix', 'reload'] },
  { name: 'dovecot', config: '/etc/dovecot/dovecot.conf', words: ['/usr/bin/doveadm', 'reload'] },
  { name: 'proftpd', config: '/etc/proftpd/proftpd.conf', words: ['/usr/bin/systemctl', 'reload', 'proftpd'] },
] as const

/** One that is not installed has nothing to reload. */
export const certificateReloads = (run: Run, root = ''): Reload[] =>
  reloads.map(({ name, config, words: [program, ...words] }) => ({
    name,
    reads: (path) => pair.includes(path),
    run: async () => void (existsSync(root + config) && (await run(program, words))),
  }))
