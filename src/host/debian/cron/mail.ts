import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandEnd, CronCommand } from '../../contract/commands/cron.ts'
import type { Run } from '../commands.ts'
import { sendmail } from '../mail/outgoing.ts'
import { sandboxProperties, sliceOf } from '../sandbox.ts'
import { writeFile } from '../write-file.ts'

const folder = '/var/lib/panel-host/cron'
const MAX_SUBJECT_LENGTH = 200

/**
 * Mails a command's output the way its tenant sends mail: within its limits, and under its name. The tenant's program
 * runs in its slice, and reads the message from a file: it has no channel to this process.
 */
export async function mailOutput(run: Run, command: CronCommand, { output, truncated }: CommandEnd): Promise<void> {
  const { mailTo, account } = command
  if (mailTo === undefined || output.trim() === '' || !existsSync(sendmail)) return
  const from = senderOf(account)
  const message = messageOf({ from, to: mailTo, subject: `Cron: ${command.command}`, text: output, truncated })
  const file = join(folder, `${command.run}.mail`)
  writeFile(file, message, 0o600)
  try {
    await run('/usr/bin/systemd-run', [...mailWords(command, file), sendmail, '-i', '-f', from, '--', mailTo])
  } finally {
    rmSync(file, { force: true })
  }
}

const MAIL_TIMEOUT_S = 50

/** Exported for tests: systemd-run's arguments for a program of a tenant that reads a message. */
export function mailWords({ account: { username, uid }, run }: CronCommand, file: string): string[] {
  const own = [
    `StandardInput=file:${file}`,
    'StandardOutput=null',
    'StandardError=null',
    `RuntimeMaxSec=${MAIL_TIMEOUT_S}`,
  ]
  return [
    ...['--quiet', '--wait', '--collect', '--service-type=exec'],
    `--unit=panel-cron-${username}-mail${run}.service`,
    `--slice=${sliceOf(username)}`,
    ...[`--uid=${uid}`, `--gid=${uid}`],
    ...[...sandboxProperties(username), ...own].map((one) => `--property=${one}`),
  ]
}

/** Under the system name while the main domain is not verified. */
function senderOf({ username, mainDomain }: CronCommand['account']): string {
  const fragment = `/etc/panel/mail/unverified.d/${username}`
  const rows = existsSync(fragment) ? readFileSync(fragment, 'utf8').split('\n') : []
  return rows.some((row) => row.startsWith(`${mainDomain} `)) ? username : `${username}@${mainDomain}`
}

interface Message {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly truncated: boolean
}

/** Exported for tests. The body is base64, so that no line of output can be misinterpreted. */
export function messageOf({ from, to, subject, text, truncated }: Message): string {
  const body = truncated ? `[The beginning was left out.]\n${text}` : text
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encoded(subject)}`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(body)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
    '',
  ].join('\n')
}

/** An encoded word has at most 75 characters. */
function encoded(subject: string): string {
  const characters = [...subject].slice(0, MAX_SUBJECT_LENGTH)
  const words: string[] = []
  for (let word = characters.splice(0, 10); word.length > 0; word = characters.splice(0, 10))
    words.push(`=?utf-8?B?${Buffer.from(word.join('')).toString('base64')}?=`)
  return words.join('\n ')
}
