import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { sendmail } from '../../../src/host/debian/mail/outgoing.ts'

export const canRunPostfix = process.getuid?.() === 0 && existsSync(sendmail) && existsSync('/usr/sbin/postfix')

/** A Postfix beside the machine's own, which relays all mail to a port. */
export function startPostfix(port: number, settings = ''): { config: string; queueDir: string } {
  const dir = mkdtempSync(join(tmpdir(), 'panel-postfix-'))
  const config = join(dir, 'etc')
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(dir, name), { mode: 0o755 })
  execFileSync('/usr/bin/chmod', ['755', dir])
  chownSync(join(dir, 'data'), Number(execFileSync('/usr/bin/id', ['-u', 'postfix'])), 0)
  writeFileSync(join(config, 'main.cf'), mainOf(dir, port) + settings)
  writeFileSync(join(config, 'master.cf'), master)
  const postfix = (verb: string) => execFileSync('/usr/sbin/postfix', ['-c', config, verb], { stdio: 'ignore' })
  postfix('start')
  onTestFinished(() => {
    postfix('stop')
    rmSync(dir, { recursive: true, force: true })
  })
  return { config, queueDir: `${dir}/queue` }
}

const mainOf = (dir: string, port: number): string => `compatibility_level = 3.6
myhostname = host.example
mydestination =
mynetworks =
alias_maps =
inet_protocols = ipv4
smtputf8_enable = no
disable_dns_lookups = yes
queue_directory = ${dir}/queue
data_directory = ${dir}/data
maillog_file = ${dir}/log
maillog_file_prefixes = ${dir}
relayhost = [127.0.0.1]:${port}
`

const master = `pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
smtp unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
postlog unix-dgram n - n - 1 postlogd
`
