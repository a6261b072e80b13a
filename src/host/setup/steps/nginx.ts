import type { SetupStep } from '../step.ts'

/** A socket's options apply to all servers that share it. */
const http2 = {
  directive: 'http2 on;\n',
  listen: `server {
  listen 443 ssl http2;
  listen [::]:443 ssl http2;
  server_name http2.invalid;
  ssl_reject_handshake on;
  return 444;
}
`,
}

/** Connections of each worker, to clients and to what answers them. */
const WORKER_CONNECTIONS = 16_384
/** Files of each worker: connections, and what it serves. */
const WORKER_FILES = 2 * WORKER_CONNECTIONS

/** Debian's 768 are so few that one client takes all. More stays. */
function withConnections(found: string): string {
  const connections = (text: string) => `worker_connections ${Math.max(WORKER_CONNECTIONS, Number(text))};`
  const text = found.replace(/\bworker_connections\s+(\d+)\s*;/, (_, count: string) => connections(count))
  if (/^\s*worker_rlimit_nofile\s/m.test(text)) return text
  return text.replace(/^events\s*\{/m, `worker_rlimit_nofile ${WORKER_FILES};\n\n$&`)
}

/** Where nginx has the socket of previews. */
const socketFolder = `# Written by \`panel host setup\`.
d /run/panel-preview 0750 root www-data -
`

/** A killed nginx leaves its sockets, and would not start with them. */
const ownSocket = `# Written by \`panel host setup\`.
[Service]
ExecStartPre=-/usr/bin/rm -f /run/panel-preview/nginx.sock /run/panel-preview/waf.sock
`

export const nginx: SetupStep = {
  name: 'nginx',
  packages: () => ['nginx-light'],
  ports: [
    { port: 80, protocol: 'tcp', of: ['nginx'] },
    { port: 443, protocol: 'tcp', of: ['nginx'] },
  ],
  unlinked: [['/etc/nginx/sites-enabled/default', '/etc/nginx/sites-available/default']],
  files: ({ suite }) => [
    { path: '/etc/nginx/nginx.conf', content: withConnections, mode: 0o644 },
    { path: '/etc/tmpfiles.d/panel-preview.conf', content: socketFolder, mode: 0o644 },
    { path: '/etc/systemd/system/nginx.service.d/panel.conf', content: ownSocket, mode: 0o644 },
    {
      path: '/etc/nginx/conf.d/panel.conf',
      content: `${http2[suite.http2]}include /etc/panel/nginx/panel.conf;\n`,
      mode: 0o644,
    },
  ],
  check: ['/usr/sbin/nginx', '-t', '-q'],
  units: () => [{ name: 'nginx.service', run: true, renew: 'reload' }],
}
