/** How every HTML page begins: no script, no other address, and a content policy that allows its own style alone. */
import { createHash } from 'node:crypto'
import { safe } from '../text/safe.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string, newlines: 'keep' | 'visible' = 'visible'): string {
  return safe(text, { newlines }).replace(/[&<>"']/g, (char) => entities[char] ?? '')
}

/** Up to the beginning of the body. `title` is plain text, `style` the page's whole style sheet. */
export function pageHead(title: string, style: string): string {
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, email=no, address=no, date=no">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`
}
