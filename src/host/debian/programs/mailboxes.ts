import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { sha512Crypt } from '../../../shared/crypt.ts'
import type { ProgramRequest } from '../../contract/commands/programs.ts'
import { HostError } from '../../contract/error.ts'
import { loginNames } from '../../parts/mail/passwd.ts'
import { ownerOf } from '../../parts/spec.ts'
import { dateApart, nextSecond } from '../mail/versions.ts'
import { groupId } from '../names.ts'
import { writeNew } from '../write-file.ts'
import type { Keeper } from './keeper.ts'
import { webmailLogins } from './places.ts'
import type { Login } from './record.ts'

/** Single-mailbox passwords that work on this machine only. */
export const mailboxes = (root = '', ready = nextSecond): Keeper => ({
  nameFor(order) {
    if (!mayOpen(order, `${root}/etc/panel/mail/passwd.d`))
      throw new HostError('stage', 'The mailbox cannot be opened.')
    return order.mailbox!
  },
  cryptOf: (password) => sha512Crypt(password, randomBytes(8).toString('hex'), createHash),
  ready,
  open: async (_login, _username, all) => write(root, all),
  end: async (_login, left) => write(root, left),
})

/** Whether the account has the mailbox, and its owner could log in. */
function mayOpen({ account, mailbox = '' }: ProgramRequest, folder: string): boolean {
  const [local, domain] = mailbox.split('@')
  const file = `${folder}/${domain}`
  if (!domain || !existsSync(file)) return false
  const text = readFileSync(file, 'utf8')
  return ownerOf(text) === account.id && text.split('\n').some((line) => line.startsWith(`${local}:$`))
}

function write(root: string, logins: readonly Login[]): void {
  const lines = logins.flatMap(({ name, crypt }) =>
    loginNames(name).map((one) => `${one}:${crypt}::::::allow_real_nets=127.0.0.0/8\n`),
  )
  const file = root + webmailLogins
  writeNew(`${file}.panel-new`, lines.join(''), 0o640, root === '' ? groupId('dovecot') : undefined)
  dateApart(`${file}.panel-new`, file)
  renameSync(`${file}.panel-new`, file)
}
