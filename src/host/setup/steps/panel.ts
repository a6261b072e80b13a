import type { Facts, Step } from '../step.ts'

const header = '# Options of `panel serve`, read by panel.service.'
const nameLine = /^PANEL_HOSTNAME=.*$/m

/** Everything else in it is the administrator's. */
const withName =
  ({ hostname }: Facts) =>
  (found: string): string => {
    const line = `PANEL_HOSTNAME=${hostname}`
    if (nameLine.test(found)) return found.replace(nameLine, line)
    return found === '' ? `${header}\n${line}\nPANEL_SERVE_OPTIONS=\n` : `${found.replace(/\n?$/, '\n')}${line}\n`
  }

export const optionsFile = '/etc/default/panel'

/** The agent: once it runs, what the services include is there. */
export const agent: Step = {
  name: 'agent',
  packages: () => [],
  units: () => [{ name: 'panel-host.service', run: true }],
}

/** The server, when all is ready for the jobs that it may have. */
export const server: Step = {
  name: 'server',
  packages: () => [],
  files: (facts) => [
    { path: optionsFile, content: withName(facts), mode: 0o644 },
    { path: '/var/lib/panel/driver', content: 'debian\n', mode: 0o640, group: 'panel' },
  ],
  units: () => [{ name: 'panel.service', run: true }],
}
