import { rspamdSocket } from '../../debian/mail/places.ts'
import type { BaseFile, Step } from '../step.ts'

const header = '# Written by `panel host setup`.\n'
const file = (name: string, text: string): BaseFile => ({
  path: `/etc/rspamd/local.d/${name}`,
  content: `${header}${text}`,
  mode: 0o644,
})

/** One process judges all, and answers Postfix itself. */
const proxy = `bind_socket = "${rspamdSocket} mode=0660 owner=_rspamd group=postfix";
milter = yes;
timeout = 60s;
upstream "local" {
  default = yes;
  self_scan = yes;
}
count = 1;
`

/** It says how many points a message has; what becomes of it, each mailbox decides. */
const actions = `reject = null;
greylist = null;
rewrite_subject = null;
add_header = 6;
`

/** Headers of these names that come from outside are taken away. */
const headers = `use = ["x-spam-level", "x-spam-status", "spam-header"];
skip_authenticated = true;
skip_local = false;
`

const workers = ['worker-normal.inc', 'worker-controller.inc']
/** Signatures are OpenDKIM's; the rest needs Redis, or asks servers that are not ours about messages. */
const modules = ['dkim_signing', 'arc', 'greylist', 'ratelimit', 'history_redis', 'neural', 'fuzzy_check', 'replies']

/** Its packages make the user; Postfix reaches the socket by its group. */
const access = `${header}[Service]
SupplementaryGroups=postfix
`

/** Judges mail from outside. */
export const rspamd: Step = {
  name: 'rspamd',
  choice: 'spam',
  when: ({ spam }) => spam,
  packages: () => ['rspamd'],
  files: () => [
    file('worker-proxy.inc', proxy),
    file('actions.conf', actions),
    file('milter_headers.conf', headers),
    ...workers.map((name) => file(name, 'enabled = false;\n')),
    ...modules.map((name) => file(`${name}.conf`, 'enabled = false;\n')),
    { path: '/etc/systemd/system/rspamd.service.d/panel.conf', content: access, mode: 0o644 },
  ],
  check: ['/usr/bin/rspamadm', 'configtest', '--quiet'],
  units: () => [{ name: 'rspamd.service', run: true }],
}
