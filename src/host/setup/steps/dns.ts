import type { SetupStep } from '../step.ts'

const options = `// Written by \`panel host setup\`. This server answers for its own zones and resolves nothing.
options {
	directory "/var/cache/bind";
	recursion no;
	dnssec-validation no;
	include "/etc/bind/panel/transfer.conf";
	minimal-responses yes;
	version none;
	listen-on-v6 { any; };
};
`

/** The default until the panel says who may transfer zones. */
const noTransfer = 'allow-transfer { none; };\n'

const includes = ['include "/etc/bind/panel/dnssec-policy.conf";', 'include "/etc/bind/panel/zones.d/*";']

/** Keeps what administrators have added. */
const withIncludes = (found: string): string =>
  includes.reduce((text, line) => (text.includes(line) ? text : `${text.replace(/\n?$/, '\n')}${line}\n`), found)

export const dns: SetupStep = {
  name: 'bind',
  choice: 'dns',
  packages: () => ['bind9', 'bind9-utils', 'bind9-dnsutils'],
  ports: [
    { port: 53, protocol: 'tcp', of: ['named'] },
    { port: 53, protocol: 'udp', of: ['named'] },
  ],
  files: () => [
    // named does not start if an include matches no file.
    { path: '/etc/bind/panel/zones.d/_none', content: '', mode: 0o644, group: 'bind', seed: true },
    { path: '/etc/bind/panel/transfer.conf', content: noTransfer, mode: 0o644, group: 'bind', seed: true },
    { path: '/etc/bind/named.conf.options', content: options, mode: 0o644, group: 'bind' },
    { path: '/etc/bind/named.conf.local', content: withIncludes, mode: 0o644, group: 'bind' },
  ],
  check: ['/usr/bin/named-checkconf'],
  units: () => [{ name: 'named.service', run: true }],
}
