import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { sha512Crypt } from '../../../shared/crypt.ts'
import { KeyedLock } from '../../../shared/lock.ts'
import type { MailDomain } from '../../parts/mail/state.ts'
import { dateApart, nextSecond } from '../mail/versions.ts'
import { type Probe, tried } from './probe.ts'
import { talk } from './talk.ts'

/** Single-use logins; Dovecot reads the file at each login. */
const once = '/etc/panel/mail/once'
const MAX_PROBLEMS = 20
const turn = new KeyedLock()

/** One mailbox of each domain: Postfix accepts mail for it, and Dovecot opens it to a single-use login. */
export const mail =
  (own: (path: string) => void, file = once, ports = { smtp: 25, imap: 143 }, reread = nextSecond): Probe =>
  async ({ account, server }) => {
    if (!existsSync(file)) return []
    const boxes = account.parts.mail.domains.flatMap(oneOf).slice(0, MAX_PROBLEMS)
    const results = []
    for (const address of boxes) {
      results.push(await tried(`smtp ${address}`, () => takesMail(address, server.hostname, ports.smtp)))
      if (!account.suspended)
        results.push(await tried(`imap ${address}`, () => opens(address, { own, file, port: ports.imap, reread })))
    }
    return results
  }

function oneOf({ domain, routing, mailboxes }: MailDomain): string[] {
  const box = mailboxes.find(({ gone, noIncoming, noLogin }) => !gone && !noIncoming && !noLogin)
  return box && routing === 'local' ? [`${box.local}@${domain}`] : []
}

/** The message is never sent. */
async function takesMail(address: string, hostname: string, port: number): Promise<string> {
  await talk(port, [
    [undefined, /^220 /],
    [`EHLO ${hostname}`, /^250 /],
    ['MAIL FROM:<>', /^250 /],
    [`RCPT TO:<${address}>`, /^250 /],
    ['QUIT', /^221 /],
  ])
  return 'mail is taken'
}

interface Box {
  readonly own: (path: string) => void
  readonly file: string
  readonly port: number
  /** Resolves once Dovecot rereads the file. */
  readonly reread: () => Promise<void>
}

const opens = (address: string, box: Box): Promise<string> =>
  turn.run('', async () => {
    const password = randomBytes(24).toString('hex')
    const hash = sha512Crypt(password, randomBytes(8).toString('hex'), createHash)
    const line = `${address}:${hash}::::::allow_real_nets=127.0.0.1,::1`
    put(box, (lines) => [...lines, line])
    try {
      await box.reread()
      await talk(box.port, [
        [undefined, /^\* OK /],
        [`a LOGIN ${address} ${password}`, /^a OK /],
        ['b STATUS INBOX (MESSAGES)', /^b OK /],
      ])
      return 'the mailbox opens'
    } finally {
      put(box, (lines) => lines.filter((one) => one !== line))
    }
  })

function put({ own, file }: Box, change: (lines: readonly string[]) => readonly string[]): void {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  writeFileSync(
    `${file}.panel-new`,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
    { mode: 0o600 },
  )
  own(`${file}.panel-new`)
  chmodSync(`${file}.panel-new`, 0o640)
  dateApart(`${file}.panel-new`, file)
  renameSync(`${file}.panel-new`, file)
}
