import { render, type RowFormat } from '../../src/output/render.ts'
import type { Output, PrintOptions } from '../../src/output/result.ts'

export const options: PrintOptions = {
  format: 'table',
  rowLimit: Infinity,
  color: false,
}

export async function printed<T>(
  output: Output<T>,
  shown: RowFormat<T> = {},
  more: Partial<PrintOptions> = {},
) {
  try {
    const { bytes, exitCode, notes } = await render(output, shown, { ...options, ...more })
    return { code: exitCode, stdout: Buffer.concat(bytes).toString(), notes, error: undefined }
  } catch (error) {
    return { code: undefined, stdout: '', notes: [], error }
  }
}
