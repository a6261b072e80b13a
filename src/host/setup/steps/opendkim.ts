import { dkimKeys, seals } from '../../debian/mail/places.ts'
import type { SetupStep } from '../step.ts'

const configuration = `# Written by \`panel host setup\`.
Syslog yes
UserID opendkim
UMask 007
Mode s
PidFile /run/opendkim/opendkim.pid
Socket local:/run/opendkim/opendkim.sock
Canonicalization relaxed/relaxed
OversignHeaders From
SetupPolicyScript /etc/opendkim/panel.lua
KeyTable ${dkimKeys}
SigningTable file:/etc/opendkim/authors
RequireSafeKeys no
`

/** The default decides by the author alone, and anyone can claim to be anyone. */
const script = `-- Written by \`panel host setup\`. The agent has named the key of what may be signed, and nothing else is signed.
local key = odkim.get_header(ctx, "X-Panel-Signer", 0)
if key == nil then
	odkim.set_result(ctx, SMFIS_ACCEPT)
else
	odkim.sign(ctx, string.match(key, "%S+"))
end
return nil
`

/** Its keys are private, so Postfix is not in its group: files created in this directory get Postfix's group. */
const access = `# Written by \`panel host setup\`.
[Service]
ExecStartPre=+/usr/bin/install -d -o opendkim -g postfix -m 2750 /run/opendkim
`

export const opendkim: SetupStep = {
  name: 'opendkim',
  choice: 'mail',
  packages: () => ['opendkim', 'opendkim-tools'],
  dirs: [{ path: '/etc/panel/mail/dkim', mode: 0o750, group: 'opendkim' }],
  files: () => [
    { path: '/etc/opendkim.conf', content: configuration, mode: 0o644 },
    { path: '/etc/opendkim/panel.lua', content: script, mode: 0o644 },
    { path: '/etc/opendkim/authors', content: '', mode: 0o644 },
    { path: '/etc/systemd/system/opendkim.service.d/panel.conf', content: access, mode: 0o644 },
    { path: dkimKeys, content: '', mode: 0o640, group: 'opendkim', seed: true },
    { path: seals, content: '', mode: 0o640, group: 'opendkim', seed: true },
  ],
  check: ['/usr/sbin/opendkim', '-n', '-x', '/etc/opendkim.conf'],
  units: () => [{ name: 'opendkim.service', run: true }],
}
