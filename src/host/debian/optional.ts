import { existsSync } from 'node:fs'
import type { Run } from './commands.ts'

/** Programs of services that `panel host setup --without` leaves out. */
const optional = new Set([
  '/usr/bin/named-checkconf',
  '/usr/bin/named-checkzone',
  '/usr/sbin/rndc',
  '/usr/sbin/postfix',
  '/usr/sbin/postmap',
  '/usr/bin/doveadm',
  '/usr/bin/sievec',
  '/usr/bin/ftpwho',
])

/** A daemon that this machine does without has nothing to check and nothing to reload. */
export const whereInstalled =
  (run: Run): Run =>
  (program, ...words) =>
    optional.has(program) && !existsSync(program) ? Promise.resolve('') : run(program, ...words)
