import type { Action, Actions } from '../../../web/kit/screen.ts'

const toRelease = '/apps/{app}/releases/{number}'
const deploys: Action = {
  done: 'The deployment was started.',
  label: 'Deploy',
  to: toRelease,
  upload: () => ({ query: {}, headers: {} }),
}

export const rollsBack: Action = {
  done: 'The app goes back.',
  label: 'Roll back',
  to: '/apps/{app}',
  undoWith: { op: 'rollbackApp' },
}

const mayStart: ReadonlySet<string> = new Set(['stopped', 'crashed'])
const runs: ReadonlySet<string> = new Set(['running', 'starting', 'crashed'])

/** What can be done with an app. */
export const ofApp: Actions = {
  deployApp: deploys,
  rollbackApp: rollsBack,
  startApp: { done: 'The app starts.', label: 'Start', when: ({ data }) => mayStart.has(data.status) },
  restartApp: { done: 'The app starts again.', label: 'Restart', when: ({ data }) => runs.has(data.status) },
  stopApp: { done: 'The app stops.', label: 'Stop', when: ({ data }) => runs.has(data.status) },
  rotateAppDeployKey: {
    done: 'The app has a new deploy key.',
    label: 'New deploy key',
    when: ({ data }) => data.deploy_key !== undefined,
  },
}
