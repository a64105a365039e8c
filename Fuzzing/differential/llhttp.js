// Tells how llhttp, in Node's strict mode, reads requests; input and output are those of Echo.swift.
'use strict'

const { HTTPParser, allMethods, methods } = process.binding('http_parser')
const names = allMethods ?? methods
const hex = (text) => Buffer.from(text, 'latin1').toString('hex')

function read (bytes, cut) {
  const parser = new HTTPParser()
  parser.initialize(HTTPParser.REQUEST, {}, 1 << 20, HTTPParser.kLenientNone ?? 0)
  let text = ''
  let head = null
  let body = ''
  let raw = []
  let target = ''
  parser[HTTPParser.kOnHeaders | 0] = (more, url) => { raw.push(...more); target += url }
  parser[HTTPParser.kOnHeadersComplete | 0] = (major, minor, headers, method, url, _1, _2, upgrade, keeps) => {
    if (headers) raw = headers
    if (url) target = url
    const fields = []
    for (let i = 0; i < raw.length; i += 2) fields.push(`${hex(raw[i])}:${hex(raw[i + 1])}`)
    head = `${names[method]} ${hex(target)} ${major}.${minor} ${keeps ? 'keep' : 'close'} ${fields.join(',')}`
    raw = []
    target = ''
    // As Node's server without an upgrade listener: another protocol begins after CONNECT alone.
    return upgrade && names[method] === 'CONNECT' ? 2 : 0
  }
  // Older versions hand over a buffer with offset and length.
  parser[HTTPParser.kOnBody | 0] = (part, offset = 0, length = part.length) => {
    body += part.subarray(offset, offset + length).toString('hex')
  }
  parser[HTTPParser.kOnMessageComplete | 0] = () => {
    // Trailers come as headers, and are no part of the message here.
    raw = []
    target = ''
    text += `${head} ${body}|`
    head = null
    body = ''
  }
  let end = 'more'
  for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
    if (part.length === 0) continue
    const result = parser.execute(part)
    if (result instanceof Error) { end = `refused ${result.code}`; break }
    if (result < part.length) { end = 'upgraded'; break }
  }
  if (head !== null) text += `${head} ...|`
  return text + end
}

const input = require('fs').readFileSync(0)
const lines = []
for (let at = 0; at + 8 <= input.length;) {
  const [size, cut] = [input.readUInt32BE(at), input.readUInt32BE(at + 4)]
  lines.push(read(input.subarray(at + 8, at + 8 + size), cut))
  at += 8 + size
}
process.stdout.write(lines.join('\n') + '\n')
