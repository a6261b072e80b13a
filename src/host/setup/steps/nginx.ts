import type { Step } from '../step.ts'

export const nginx: Step = {
  name: 'nginx',
  packages: () => ['nginx-light'],
  ports: [
    { port: 80, protocol: 'tcp', of: ['nginx'] },
    { port: 443, protocol: 'tcp', of: ['nginx'] },
  ],
  unlinked: [['/etc/nginx/sites-enabled/default', '/etc/nginx/sites-available/default']],
  files: () => [
    { path: '/etc/nginx/conf.d/panel.conf', content: 'include /etc/panel/nginx/panel.conf;\n', mode: 0o644 },
  ],
  check: ['/usr/sbin/nginx', '-t', '-q'],
  units: () => [{ name: 'nginx.service', run: true, renew: 'reload' }],
}
