import { existsSync } from 'node:fs'
import type { Run } from './commands.ts'

/** Programs of services that `panel host setup --without` omits. */
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

/** A daemon that is not installed has nothing to check or reload. */
export const whereInstalled =
  (run: Run): Run =>
  (program, ...words) =>
    optional.has(program) && !existsSync(program) ? Promise.resolve('') : run(program, ...words)
