import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Run } from '../commands.ts'
import { textOf } from '../fragments.ts'
import type { Suite } from '../suite.ts'
import { writeFile } from '../write-file.ts'
import { dovecotNames } from './places.ts'

const row = /^(mail\.[a-z0-9.-]+) (\/\S+\.key) (\/\S+\.crt)$/

/** Names and their certificates, as Dovecot reads them, from the rows of Postfix's map. */
export function localNames(rows: string, version: Suite['dovecot']): string {
  const [certificate, key] =
    version === '2.3' ? ['ssl_cert = <', 'ssl_key = <'] : ['ssl_server_cert_file = ', 'ssl_server_key_file = ']
  const blocks = rows.split('\n').flatMap((line) => {
    const [, name, keyFile, file] = row.exec(line) ?? []
    return name === undefined ? [] : [`local_name ${name} {\n  ${certificate}${file}\n  ${key}${keyFile}\n}\n`]
  })
  return blocks.join('')
}

const isDovecotThere = (root: string): boolean =>
  [dirname(dovecotNames), '/etc/dovecot/dovecot.conf'].every((path) => existsSync(join(root, path)))

/** Whether Dovecot has other names, or none. */
export const areNamesStale = (root: string, text: string): boolean =>
  isDovecotThere(root) && (textOf(join(root, dovecotNames)) ?? '') !== text

/** Sessions go on, each with the certificate that it began with. */
export async function reloadDovecotNames(run: Run, root: string, text: string): Promise<void> {
  if (!isDovecotThere(root)) return
  if (areNamesStale(root, text)) writeFile(join(root, dovecotNames), text, 0o600)
  await run('/usr/bin/doveadm', ['reload'])
}
