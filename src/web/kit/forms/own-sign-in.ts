import type { OperationId } from '../../../contract/index.ts'
import type { PanelName } from '../../../contract/sessions.ts'

/** The operations on the user's own sign-in, per panel: each panel has its own session. */
export const ownSignIn = {
  admin: {
    signIn: 'signIn',
    complete: 'completeSignIn',
    signOut: 'signOut',
    switch: 'switchToUser',
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
    switch: 'switchToAdmin',
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
