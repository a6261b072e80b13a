const MAX_REF_LENGTH = 250

// What `git check-ref-format --branch` allows; a leading dash would be an option.
const notAnywhere = String.raw`(?!.*(?:\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)))`
const notAtTheEnds = '(?![-./])(?!@$)(?!.*[./]$)'
const characters = String.raw`[^\u0000-\u0020\u007f~^:?*[\\]`

/** A branch, tag or commit: never an option, a refspec or a path that leads out. */
export const gitRef = new RegExp(`^${notAnywhere}${notAtTheEnds}${characters}{1,${MAX_REF_LENGTH}}$`)

/** A commit's full hash. */
export const isCommitHash = (ref: string | undefined): ref is string =>
  ref !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
