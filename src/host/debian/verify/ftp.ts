import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { sha512Crypt } from '../../../shared/crypt.ts'
import type { AccountState } from '../../contract/driver.ts'
import { editing, ftpLists } from '../ftp/places.ts'
import { writeFile } from '../write-file.ts'
import { type Probe, tried } from './probe.ts'
import { talk } from './talk.ts'

/** Logs in to the home with a single-use login, if the account has any login. */
export const ftp =
  (file: string = ftpLists.ftp, port = 21): Probe =>
  async ({ account }) => {
    const has = existsSync(file) && !account.suspended && account.parts.ftp.logins.length > 0
    return has ? [await tried(`ftp ${account.username}`, () => opens(account, file, port))] : []
  }

async function opens({ username, uid }: AccountState, file: string, port: number): Promise<string> {
  const [login, password] = [`panel-verify-${randomBytes(6).toString('hex')}`, randomBytes(24).toString('hex')]
  const hash = sha512Crypt(password, randomBytes(8).toString('hex'), createHash)
  const line = `${login}:${hash}:${uid}:${uid}::/home/${username}:/bin/false\n`
  const change = (edit: (text: string) => string) =>
    editing.run(file, async () => writeFile(file, edit(readFileSync(file, 'utf8')), 0o600))
  await change((text) => text + line)
  try {
    await talk(port, [
      [undefined, /^220 /],
      [`USER ${login}`, /^331 /],
      [`PASS ${password}`, /^230 /],
      ['QUIT', /^221 /],
    ])
    return 'the home opens'
  } finally {
    await change((text) => text.replace(line, ''))
  }
}
