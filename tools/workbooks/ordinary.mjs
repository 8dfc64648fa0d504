/**
 * Ordinary workbooks of many programs: `svc` reads every id of each. Programs that are not installed are named. Writers of the
 * npm registry are installed into the temporary folder, without their scripts; they are no dependency of the project.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bin, run } from '../harness/tool.mjs'

const writers = '@e965/xlsx@0.20.3 hucre@1.0.0 write-excel-file@4.1.1 xlsx-populate@1.21.0'
const idOf = (n) => `64f0a1b2c3d4e5f6${n.toString(16).padStart(8, '0')}`
const idsOf = (count) => Array.from({ length: count }, (_, n) => idOf(n + 1))

/** Rows of texts and numbers, by name. */
const tables = {
  list: [['id'], ...idsOf(3).map((id) => [id])],
  bare: idsOf(4).map((id) => [id]),
  customers: [
    ['Name', 'Contact ID', 'Orders', 'Note'],
    ...idsOf(5).map((id, n) => [`Jürgen ${n} 王`, id, n * 1.5, 'a;b, "c" & <d>']),
  ],
  titled: [['Kündigungen März'], [], ['contactId', 'Name'], ...idsOf(6).map((id) => [id, 'x'])],
  gaps: [['Name', '', 'id'], ...idsOf(3).map((id) => ['x', '', id])],
  wide: [
    [...Array(39).fill('y'), 'contact_id'],
    ...idsOf(2).map((id) => [...Array(39).fill(1), id]),
  ],
  notes: [['ID', 'Note'], ...idsOf(4).map((id, n) => [id, `Grüße\n${n}`])],
  long: [['id', 'Name', 'City', 'n'], ...idsOf(800).map((id, n) => [id, `N ${n}`, 'Zürich', n])],
}

const csvOf = (rows) =>
  rows
    .map((row) =>
      row
        .map((cell) => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
        .join(','),
    )
    .join('\n') + '\n'

/** Each writes all tables into the folder. Throws where a program is missing. */
const programs = (folder, convert) => ({
  LibreOffice() {
    const names = Object.keys(tables)
    const from = (kind) => names.map((name) => join(folder, `${name}.${kind}`))
    for (const kind of ['ods', 'xls']) convert(kind, folder, from('csv'))
    for (const kind of ['csv', 'ods', 'xls']) {
      convert('xlsx', folder, from(kind))
      for (const name of names)
        renameSync(join(folder, `${name}.xlsx`), join(folder, `libreoffice-${kind}-${name}.xlsx`))
    }
  },
  Gnumeric() {
    for (const name of Object.keys(tables))
      run('ssconvert', [join(folder, `${name}.csv`), join(folder, `gnumeric-${name}.xlsx`)])
  },
  async 'writers of the npm registry'() {
    const words = `install --no-audit --no-fund --ignore-scripts ${writers} --prefix`
    run('npm', [...words.split(' '), folder], { timeout: 180_000 })
    const require = createRequire(join(folder, 'x.cjs'))
    const sheetjs = require('@e965/xlsx')
    const populate = require('xlsx-populate')
    const writeExcelFile = require('write-excel-file/node')
    const { writeXlsx } = await import(
      pathToFileURL(join(folder, 'node_modules/hucre/dist/index.mjs'))
    )
    for (const [name, rows] of Object.entries(tables)) {
      const write = (by, bytes) => writeFileSync(join(folder, `${by}-${name}.xlsx`), bytes)
      const book = sheetjs.utils.book_new()
      sheetjs.utils.book_append_sheet(book, sheetjs.utils.aoa_to_sheet(rows))
      write('sheetjs', sheetjs.write(book, { type: 'buffer' }))
      write(
        'sheetjs-shared',
        sheetjs.write(book, { type: 'buffer', bookSST: true, compression: true }),
      )
      const blank = await populate.fromBlankAsync()
      blank.sheet(0).cell('A1').value(rows)
      write('xlsx-populate', await blank.outputAsync())
      write('hucre', await writeXlsx({ sheets: [{ name: 'One', rows }] }))
      const cells = rows.map((row) =>
        row.map((value) =>
          value === '' ? null : { value, type: typeof value === 'number' ? Number : String },
        ),
      )
      write('write-excel-file', await writeExcelFile.default(cells).toBuffer())
    }
  },
})

/** Returns how many workbooks of how many writers there are, which are not read whole, and which programs could not be run. */
export async function checkOrdinary(within, convert) {
  const folder = join(within, 'ordinary')
  mkdirSync(folder)
  for (const [name, rows] of Object.entries(tables))
    writeFileSync(join(folder, `${name}.csv`), csvOf(rows))
  const missing = []
  for (const [program, write] of Object.entries(programs(folder, convert))) {
    try {
      await write()
    } catch (error) {
      missing.push(`${program}: ${String(error.message).split('\n')[0]}`)
    }
  }
  const files = readdirSync(folder).filter((file) => file.endsWith('.xlsx'))
  const problems = files.flatMap((file) => {
    const rows = tables[file.slice(file.lastIndexOf('-') + 1, -5)]
    const ids = rows.flat().filter((cell) => String(cell).startsWith(idOf(0).slice(0, 16))).length
    const env = { PATH: process.env.PATH, HOME: folder }
    const words = [bin, 'ids', 'check', join(folder, file), '--json']
    const ended = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
    const how = `ended with ${ended.signal ?? ended.status}: ${ended.stderr.trim()}`
    const read = ended.status === 0 ? JSON.parse(ended.stdout).unique : how
    return read === ids ? [] : [`${file}: ${read}, not ${ids} ids`]
  })
  const by = new Set(files.map((file) => file.slice(0, file.lastIndexOf('-'))))
  return { workbooks: files.length, writers: [...by], problems, missing }
}
