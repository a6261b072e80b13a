import { existsSync, readFileSync } from 'node:fs'
import type { CommandEnd, CronCommand } from '../../commands.ts'
import type { Run } from '../commands.ts'

const sendmail = '/usr/sbin/sendmail'
const setpriv = '/usr/bin/setpriv'
const longestSubject = 200

/** Mails a command's output the way its tenant sends mail: within its limits, and under its name. */
export async function mailOutput(run: Run, command: CronCommand, { output, truncated }: CommandEnd): Promise<void> {
  const { mailTo, account } = command
  if (mailTo === undefined || output.trim() === '' || !existsSync(sendmail)) return
  const id = String(account.uid)
  const rights = ['--reuid', id, '--regid', id, '--clear-groups', '--']
  const from = senderOf(account)
  const input = messageOf({ from, to: mailTo, subject: `Cron: ${command.command}`, text: output, truncated })
  await run(setpriv, [...rights, sendmail, '-i', '-f', from, '--', mailTo], { input })
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
  const characters = [...subject].slice(0, longestSubject)
  const words: string[] = []
  for (let word = characters.splice(0, 10); word.length > 0; word = characters.splice(0, 10))
    words.push(`=?utf-8?B?${Buffer.from(word.join('')).toString('base64')}?=`)
  return words.join('\n ')
}
