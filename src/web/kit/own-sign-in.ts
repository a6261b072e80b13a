import type { OperationId } from '../../contract/index.ts'
import type { PanelName } from '../../contract/sessions.ts'

/** What one does about one's own sign-in. In each panel: the operations of the other speak of its own session. */
export const ownSignIn = {
  admin: {
    signIn: 'signIn',
    complete: 'completeSignIn',
    signOut: 'signOut',
    confirm: 'confirmPassword',
    password: 'changeOwnPassword',
    setUp: 'setUpTotp',
    enable: 'enableTotp',
    disable: 'disableTotp',
    sessions: 'listSessions',
    end: 'endSession',
    endAll: 'endSessions',
  },
  user: {
    signIn: 'signInUser',
    complete: 'completeSignInUser',
    signOut: 'signOutUser',
    confirm: 'confirmUserPassword',
    password: 'changeOwnUserPassword',
    setUp: 'setUpTotpUser',
    enable: 'enableTotpUser',
    disable: 'disableTotpUser',
    sessions: 'listUserSessions',
    end: 'endUserSession',
    endAll: 'endUserSessions',
  },
} as const satisfies Record<PanelName, Record<string, OperationId>>
