/**
 * Workbooks that are made to deceive, as svc reads them and as LibreOffice shows them, and ordinary ones of many programs. Needs LibreOffice Calc
 * and pdftotext.
 */
import { join } from 'node:path'
import { commandLine, isThere, ownFolder, refuse, run } from '../harness/tool.mjs'
import { checkCrafted } from './crafted.mjs'
import { checkOrdinary } from './ordinary.mjs'

commandLine({})
if (!isThere('soffice') || !isThere('pdftotext'))
  refuse(
    'LibreOffice Calc (soffice) or pdftotext is not installed; on Debian: apt-get install libreoffice-calc poppler-utils',
  )
const folder = ownFolder('workbooks')
function convert(format, into, paths) {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  run('soffice', ['--headless', profile, '--convert-to', format, '--outdir', into, ...paths])
}

// Prints what was found; the last line is the figure.
const crafted = checkCrafted(folder, convert, 'crafted', 'test/workbook/xlsx.test.ts')
const formats = checkCrafted(folder, convert, 'formats', 'test/workbook/random-formats.test.ts')
const ordinary = await checkOrdinary(folder, convert)
for (const problem of [...crafted.problems, ...formats.problems, ...ordinary.problems].slice(0, 40))
  console.log(problem)
for (const missing of ordinary.missing) console.log(`not run: ${missing}`)
console.log(`LibreOffice does not open: ${crafted.unopened.join('; ')}`)
console.log(`ordinary workbooks by ${ordinary.writers.join(', ')}`)
const read = ordinary.workbooks - ordinary.problems.length
const isEnough =
  crafted.workbooks >= 300 && ordinary.workbooks >= 60 && ordinary.writers.length >= 5
if (!isEnough || crafted.problems.length + formats.problems.length + ordinary.problems.length > 0)
  process.exitCode = 1
const random = `50,000 random number formats, each with a text, a number and a truth value: ${formats.problems.length} of ${formats.cells}`
console.log(
  `${crafted.workbooks} crafted (${crafted.refused} refused): ${crafted.problems.length} of ${crafted.cells} cells that decide are not shown, as csv and as a PDF; ${random}; ${read} of ${ordinary.workbooks} ordinary ones of ${ordinary.writers.length} writers read`,
)
