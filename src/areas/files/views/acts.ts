import type { Action, Actions } from '../../../web/kit/screen.ts'
import { chosen } from './path.ts'

const many = { many: true } as const

export const toTrash: Action = {
  done: 'In the trash.',
  label: 'Delete',
  to: '/trash',
  undoWith: { op: 'restoreTrashItem', at: '/trash/{id}' },
}

/** What can be done with those that are chosen in a directory. */
export const ofChosen: Actions = {
  copyFile: { ...many, done: 'Being copied.', label: 'Copy', only: ['to'], rows: chosen.toFolder('from') },
  moveFile: { ...many, done: 'Moved.', label: 'Move', only: ['to', 'overwrite'], rows: chosen.toFolder('from') },
  chmodFile: { ...many, done: 'Permissions changed.', label: 'Permissions', only: ['mode'], rows: chosen.each },
  archiveFiles: {
    ...many,
    done: 'Being compressed.',
    label: 'Compress',
    only: ['to', 'format'],
    rows: chosen.together,
  },
  extractArchive: { ...many, done: 'Being extracted.', label: 'Extract', only: ['to', 'overwrite'], rows: chosen.each },
  deleteFile: {
    ...many,
    done: 'In the trash.',
    label: 'Delete',
    only: [],
    rows: chosen.inQuery,
    undoWith: { op: 'restoreTrashItem', at: '/trash' },
  },
}
