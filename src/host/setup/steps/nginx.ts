import type { Step } from '../step.ts'

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

export const nginx: Step = {
  name: 'nginx',
  packages: () => ['nginx-light'],
  ports: [
    { port: 80, protocol: 'tcp', of: ['nginx'] },
    { port: 443, protocol: 'tcp', of: ['nginx'] },
  ],
  unlinked: [['/etc/nginx/sites-enabled/default', '/etc/nginx/sites-available/default']],
  files: ({ suite }) => [
    {
      path: '/etc/nginx/conf.d/panel.conf',
      content: `${http2[suite.http2]}include /etc/panel/nginx/panel.conf;\n`,
      mode: 0o644,
    },
  ],
  check: ['/usr/sbin/nginx', '-t', '-q'],
  units: () => [{ name: 'nginx.service', run: true, renew: 'reload' }],
}
