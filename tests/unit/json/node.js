// Compares what node_cases printed with JSON.parse: the same texts are taken, with the same numbers and strings.
"use strict";

const { execFileSync } = require("child_process");

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function hex(text) {
  return Buffer.from(text, "utf8").toString("hex");
}

function bits(number) {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(number);
  return buffer.toString("hex");
}

function values(value, out) {
  if (typeof value === "string") out.push("s" + hex(value));
  else if (typeof value === "number") out.push("n" + bits(value));
  else if (Array.isArray(value)) value.forEach((element) => values(element, out));
  else if (value !== null && typeof value === "object")
    for (const key of Object.keys(value)) {
      out.push("k" + hex(key));
      values(value[key], out);
    }
  return out;
}

// What is no UTF-8, or has a lone surrogate, node repairs where hoop refuses.
function isText(bytes, value) {
  return bytes !== null && !/[\ud800-\udfff]/.test(JSON.stringify(value).replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")) && !/\\ud[89a-f]/.test(JSON.stringify(value));
}

function decode(bytes) {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    return null;
  }
}

function parse(text) {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return null;
  }
}

const output = execFileSync(process.argv[2], process.argv.slice(3), { maxBuffer: 1 << 28 });
let compared = 0;
let taken = 0;
for (const line of output.toString("latin1").trim().split("\n")) {
  const [first, ...ours] = line.split(" ");
  if (ours[0] === "2") continue;
  const text = decode(Buffer.from(first, "hex"));
  const parsed = text === null ? null : parse(text);
  const wanted = parsed && isText(text, parsed.value) ? values(parsed.value, []) : ["-"];
  if (wanted.sort().join(" ") !== ours.sort().join(" ")) {
    console.error(`${JSON.stringify(text)}: ${ours.join(" ")}, node: ${wanted.join(" ")}`);
    process.exit(1);
  }
  compared++;
  taken += wanted[0] !== "-";
}
console.log(`${compared} texts, ${taken} of them taken`);
process.exit(compared > 20000 && taken > 4000 ? 0 : 1);
