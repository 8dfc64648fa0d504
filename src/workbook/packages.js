/** The packages that read workbooks, with types beside it, which they lack: SheetJS, and yauzl for the directory of a zip archive. */
export { SSF, parse_zip as parseZip } from '@e965/xlsx'
export { fromBufferPromise } from 'yauzl'
