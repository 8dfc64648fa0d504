/** The packages that read workbooks: SheetJS, and yauzl for the directory of a zip archive. `packages.d.ts` has their types. */
export { SSF, parse_zip as parseZip } from '@e965/xlsx'
export { fromBufferPromise } from 'yauzl'
