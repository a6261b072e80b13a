import { accountTerminals, terminalsTemplate } from '../../debian/terminals.ts'
import type { SetupStep } from '../step.ts'

/** The number of pseudo-terminals that an account's programs may have open: a session or a pane of tmux takes one. */
const MAX_TERMINALS = 50

/** No account can enter the directory, so that none gets at another's terminals. */
const folder = `# Written by \`panel host setup\`.
d ${accountTerminals} 0000 root root
`

/** Stopping it closes nothing: what has the mount has ended before, or keeps it. */
const service = `# Written by \`panel host setup\`. Make changes with \`systemctl edit panel-terminals@\`.
[Unit]
Description=Pseudo-terminals of programs of %i

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStartPre=/usr/bin/install -d -o root -g root -m 0755 ${accountTerminals}/%i
ExecStart=/usr/bin/mount -t devpts -o max=${MAX_TERMINALS},gid=tty,mode=0620,ptmxmode=0666,nosuid,noexec devpts ${accountTerminals}/%i
ExecStop=/usr/bin/umount --lazy ${accountTerminals}/%i
ExecStopPost=-/usr/bin/rmdir ${accountTerminals}/%i
`

/** Before the units and sessions of accounts, which see these in place of the machine's. */
export const terminals: SetupStep = {
  name: 'terminals',
  packages: () => ['mount'],
  dirs: [{ path: accountTerminals, mode: 0 }],
  files: () => [
    { path: '/etc/tmpfiles.d/panel-terminals.conf', content: folder, mode: 0o644 },
    { path: terminalsTemplate, content: service, mode: 0o644 },
  ],
}
