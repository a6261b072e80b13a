import type { Facts, SetupStep, Unit } from '../step.ts'

const header = '# Options of `panel serve`, read by panel.service.'
const DEFAULT_PORT = 7711
const DEFAULT_NODE_PORT = 7712
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

/** The agent: once it runs, the files that services include exist. */
export const agent: SetupStep = {
  name: 'agent',
  when: ({ isNode }) => !isNode,
  packages: () => [],
  units: () => [{ name: 'panel-host.service', run: true }],
}

export const nodeUnit: Unit = { name: 'panel-node.service', run: true }

/** The agent of a machine that has joined: the two units conflict, so starting it would stop the other. */
export const agentOfNode: SetupStep = {
  name: 'node',
  when: ({ isNode }) => isNode,
  packages: () => [],
  units: () => [nodeUnit],
}

/** From its options: a port that it was moved away from may be another program's. */
export const serverPort = (options: string): number =>
  Number(/^PANEL_SERVE_OPTIONS=.*--port[= ](\d+)/m.exec(options)?.[1] ?? DEFAULT_PORT)

/** Where nodes connect. */
export const nodePort = (options: string): number =>
  Number(/^PANEL_SERVE_OPTIONS=.*--node-port[= ](\d+)/m.exec(options)?.[1] ?? DEFAULT_NODE_PORT)

/** The server, once everything is ready for its jobs. */
export const server: SetupStep = {
  name: 'server',
  when: ({ isNode }) => !isNode,
  packages: () => [],
  // It runs with the same Node.js as this process.
  ports: ({ port }) => [{ port, protocol: 'tcp', of: [process.execPath] }],
  files: (facts) => [
    { path: optionsFile, content: withName(facts), mode: 0o644 },
    { path: '/var/lib/panel/driver', content: 'debian\n', mode: 0o640, group: 'panel' },
  ],
  units: () => [{ name: 'panel.service', run: true }],
}
