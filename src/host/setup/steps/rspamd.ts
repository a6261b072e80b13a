import { rspamdSocket, seals } from '../../debian/mail/places.ts'
import type { BaseFile, SetupStep } from '../step.ts'

const header = '# Written by `panel host setup`.\n'
const file = (name: string, text: string): BaseFile => ({
  path: `/etc/rspamd/local.d/${name}`,
  content: `${header}${text}`,
  mode: 0o644,
})

/** A single process scans all mail, and answers Postfix itself. */
const proxy = `bind_socket = "${rspamdSocket} mode=0660 owner=_rspamd group=postfix";
milter = yes;
timeout = 60s;
upstream "local" {
  default = yes;
  self_scan = yes;
}
count = 1;
`

/** It only scores messages; each mailbox decides what happens to them. */
const actions = `reject = null;
greylist = null;
rewrite_subject = null;
add_header = 6;
`

/** Headers with these names are removed from incoming mail. */
const headers = `use = ["x-spam-level", "x-spam-status", "spam-header"];
skip_authenticated = true;
skip_local = false;
`

/** The test pattern of spam filters would be refused, whatever the actions say. Debian 12's version has no such option. */
const testPattern = 'gtube_patterns = "disable";\n'

const workers = ['worker-normal.inc', 'worker-controller.inc']
/** Mail that is forwarded is sealed by the key of the first domain that forwards it, and no other mail is. */
const sealing = `sign_condition = "return function(task) return rspamd_maps.panel_seal(task) end";
`
const sealScript = `-- Written by \`panel host setup\`. The agent names the key for each address whose mail is forwarded.
local seals = rspamd_config:add_map({
	type = "map",
	url = "${seals}",
	description = "Keys that seal forwarded mail",
})
function rspamd_maps.panel_seal(task)
	for _, recipient in ipairs(task:get_recipients("smtp") or {}) do
		local user, domain = recipient.user:lower():gsub("%+.*$", ""), recipient.domain:lower()
		local key = seals:get_key(user .. "@" .. domain) or seals:get_key("@" .. domain)
		local of, selector, path = string.match(key or "", "^([^:]+):([^:]+):(/.+)$")
		if of then
			return { domain = of, selector = selector, key = path }
		end
	end
	return false
end
`

/** OpenDKIM signs; the others need Redis, or send data about messages to third parties. */
const modules = ['dkim_signing', 'greylist', 'ratelimit', 'history_redis', 'neural', 'fuzzy_check', 'replies']

const cacheUnit = 'panel-rspamd-cache.service'

/** Its package creates the user; Postfix reaches the socket through its group, and it the keys through OpenDKIM's. */
const service = `${header}[Unit]
Wants=${cacheUnit}

[Service]
SupplementaryGroups=postfix opendkim
`

const compiled = 'find /var/lib/rspamd -name "*.hs*" ! -name "*.unser" -newermt'
/** Waits until rspamd has started and written nothing for a minute; reloads it if there was something to compile. */
const cacheScript = [
  'begun=$(date +%%s)',
  `until test -S ${rspamdSocket}; do sleep 5; done`,
  'sleep 60',
  `while ${compiled} "1 minute ago" | grep -q .; do sleep 10; done`,
  `if ${compiled} @$begun | grep -q .; then exec systemctl reload rspamd; fi`,
].join('; ')

/**
 * What rspamd compiles itself stays in its memory: 277 MB after its first start, 128 MB once it reads its cache, as it
 * does after a reload. Unlike a restart, that leaves no mail unscanned.
 */
const cache = `${header}[Unit]
Description=Has rspamd read the expressions that it has compiled
After=rspamd.service
PartOf=rspamd.service

[Service]
ExecStart=/bin/sh -c '${cacheScript.replaceAll('$', '$$$$')}'
`

/** Scans mail from outside. */
export const rspamd: SetupStep = {
  name: 'rspamd',
  choice: 'spam',
  when: ({ spam }) => spam,
  packages: () => ['rspamd'],
  files: ({ suite }) => [
    ...(suite.dovecot === '2.3' ? [] : [file('options.inc', testPattern)]),
    file('worker-proxy.inc', proxy),
    file('actions.conf', actions),
    file('milter_headers.conf', headers),
    file('arc.conf', sealing),
    { path: '/etc/rspamd/local.d/rspamd.lua', content: sealScript, mode: 0o644 },
    ...workers.map((name) => file(name, 'enabled = false;\n')),
    ...modules.map((name) => file(`${name}.conf`, 'enabled = false;\n')),
    { path: '/etc/systemd/system/rspamd.service.d/panel.conf', content: service, mode: 0o644 },
    { path: `/etc/systemd/system/${cacheUnit}`, content: cache, mode: 0o644 },
  ],
  check: ['/usr/bin/rspamadm', 'configtest', '--quiet'],
  units: () => [{ name: 'rspamd.service', run: true }],
}
