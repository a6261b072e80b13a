import { listAndForms } from '../../web/kit/lists/list-and-forms.tsx'
import type { Screen } from '../../web/kit/screen.ts'
import { ofChosen, toTrash } from './views/acts.ts'
import { directory } from './views/directory.tsx'
import { editor, written } from './views/editor.tsx'
import { oneFile } from './views/file.tsx'
import { begun, next, uploaded } from './views/upload.tsx'

const inDirectory = {
  title: 'Files',
  shows: 'listFiles',
  view: directory,
  acts: {
    writeFile: {
      done: 'Uploaded.',
      label: 'Upload a file',
      only: [],
      upload: uploaded,
      replacedBy: 'saveUpload',
      toBytes: begun,
      to: next,
    },
    saveUpload: { done: 'Replaced.', label: 'Replace', only: [], subject: 'item' },
    deleteUpload: { done: 'The old file stays.', label: 'Keep the old one', only: [], subject: 'item' },
    makeDirectory: { done: 'Folder created.', label: 'New folder' },
    ...ofChosen,
  },
} as const

const ofFile = {
  title: 'File',
  within: 'files',
  shows: 'statFile',
  view: oneFile,
  acts: {
    moveFile: { done: 'Moved.', label: 'Move or rename', to: '/file/{path...}' },
    copyFile: { done: 'Being copied.', label: 'Copy' },
    chmodFile: { done: 'Permissions changed.', label: 'Change permissions' },
    extractArchive: { done: 'Being extracted.', label: 'Extract' },
    deleteFile: toTrash,
  },
} as const

const inEditor = {
  title: 'Edit',
  within: 'files',
  shows: 'readFile',
  view: editor,
  acts: { writeFile: { done: 'Saved.', only: [], toBytes: written } },
} as const

const byPath = { query: { path: '{path}' } } as const

export const screens: readonly Screen[] = [
  {
    ...inDirectory,
    path: '/files',
    nav: { group: 'sites', order: 5, feature: 'file_manager', beside: ['/trash'] },
    find: ['upload', 'file manager', 'ftp'],
  },
  { ...inDirectory, ...byPath, path: '/files/{path...}' },
  { ...ofFile, ...byPath, path: '/file/{path...}' },
  { ...inEditor, ...byPath, path: '/edit/{path...}' },
  {
    path: '/trash',
    title: 'Trash',
    shows: 'listTrash',
    name: 'path',
    find: ['deleted', 'undelete'],
    columns: ['path', 'type', 'size', 'deleted_at'],
    to: '/trash/{id}',
    view: listAndForms,
    acts: {
      restoreTrashItem: { done: 'Restored.', label: 'Restore', only: [], many: true },
      emptyTrash: { done: 'The trash is being emptied.', label: 'Empty the trash' },
    },
    empty: 'What you delete on the files page stays here for 30 days, and can be restored from here.',
  },
  {
    path: '/trash/{item}',
    title: 'Restore',
    shows: 'restoreTrashItem',
    acts: { restoreTrashItem: { done: 'Restored.', label: 'Restore', only: ['to'], to: '/file/{path...}' } },
  },
]
