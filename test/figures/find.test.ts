import { expect, it } from 'vitest'
import { rows, type View } from '../../src/output/output.ts'
import { printed } from '../output/printed.ts'
import { hostileText, seeded, show } from '../output/screen.ts'
interface Row { readonly id: string; readonly text: string; readonly end: string }
const view: View<Row> = { columns: [{ title: 'ID', field: 'id', kind: 'id' }, { title: 'TEXT', field: 'text' }, { title: 'END', field: 'end' }], fields: ['id', 'text', 'end'] }
it('find', { timeout: 600000 }, async () => {
  const random = seeded(20); const wr = seeded(21)
  let bad = 0
  for (let k = 0; k < 200; k++) {
    const texts = Array.from({ length: 500 }, () => hostileText(random))
    const width = 30 + Math.floor(wr() * 100)
    const { stdout } = await printed(rows(texts.map((text, n) => ({ id: `#${n}`, text, end: 'end' }))), view, { width })
    const screen = await show(stdout, { columns: width })
    const col = screen.lines[0]?.indexOf('END') ?? -1
    let shift = 0
    for (let n = 0; n < 500; n++) {
      const line = screen.lines[n + 1 + shift] ?? ''
      if (!line.startsWith(`#${n} `) || screen.from(n + 1 + shift, col) !== 'end') { bad++; console.log(k, n, width, JSON.stringify(texts[n]), escape(texts[n] ?? ''), JSON.stringify(stdout.split('\n')[n + 1]), JSON.stringify(line)); if (screen.cursor.y !== 501) shift += 1 }
      if (bad > 10) return
    }
  }
  expect(bad).toBe(0)
})
