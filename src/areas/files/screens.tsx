import { listAndForms } from '../../web/kit/list-and-forms.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { directory } from './views/directory.tsx'
import { oneFile } from './views/file.tsx'

const below = {
  of: 'account',
  title: 'Files',
  shows: 'listFiles',
  view: directory,
  acts: { makeDirectory: { done: 'Directory made.', label: 'Make a directory' } },
} as const

export const screens: readonly Screen[] = [
  {
    ...below,
    path: '/files',
    nav: { group: 'sites', order: 5, feature: 'file_manager', beside: ['/trash'] },
    find: ['upload', 'file manager', 'ftp'],
  },
  { ...below, path: '/files/{path...}', query: { path: '{path}' } },
  {
    path: '/file/{path...}',
    of: 'account',
    title: 'File',
    shows: 'statFile',
    query: { path: '{path}' },
    view: oneFile,
    acts: {
      moveFile: { done: 'Moved.', label: 'Move or rename', to: '/file/{path...}' },
      copyFile: { done: 'Being copied.', label: 'Copy' },
      chmodFile: { done: 'Permissions changed.', label: 'Change permissions' },
      extractArchive: { done: 'Being unpacked.', label: 'Unpack' },
      deleteFile: { done: 'In the trash.', label: 'Delete', to: '/trash' },
    },
  },
  {
    path: '/trash',
    of: 'account',
    title: 'Trash',
    shows: 'listTrash',
    find: ['deleted', 'undelete'],
    columns: ['path', 'type', 'size', 'deleted_at'],
    to: '/trash/{id}',
    view: listAndForms,
    acts: { emptyTrash: { done: 'The trash is being emptied.', label: 'Empty the trash' } },
    empty: 'What is deleted stays here for a while.',
  },
  {
    path: '/trash/{item}',
    of: 'account',
    title: 'Restore',
    shows: 'restoreTrashItem',
    acts: { restoreTrashItem: { done: 'Restored.', label: 'Restore', to: '/file/{path...}' } },
  },
]
