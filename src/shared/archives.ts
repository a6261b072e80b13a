/** What the panel packs; it unpacks 7z, too. */
export const archiveFormats = ['zip', 'tar', 'tar.gz', 'tar.bz2', 'tar.xz', 'tar.zst'] as const
/** Of names in zip archives that do not say it, by the names of the Encoding Standard. */
export const nameEncodings = [
  'shift_jis',
  'euc-jp',
  'gbk',
  'big5',
  'euc-kr',
  'ibm866',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1258',
  'windows-874',
  'koi8-r',
] as const
export type NameEncoding = (typeof nameEncodings)[number]
export type ArchiveFormat = (typeof archiveFormats)[number]
