// Reads lines with a schema, objects and verdicts from a file, and compares the verdicts with those of ajv. Fails where one
// differs, or where nothing was compared.

import { createInterface } from "node:readline";
import { createReadStream } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const counts = { schemas: 0, objects: 0, accepted: 0, skipped: 0, different: 0 };

// JSON.parse rounds such integers, so ajv would judge another object.
const large = (value) =>
  typeof value === "number"
    ? Number.isInteger(value) && !Number.isSafeInteger(value)
    : value !== null && typeof value === "object" && Object.values(value).some(large);

const lines = createInterface({ input: createReadStream(process.argv[2]) });
for await (const line of lines) {
  const { name, schema, objects, accepted } = JSON.parse(line);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const validate = ajv.compile(schema);
  counts.schemas += 1;
  objects.forEach((object, index) => {
    if (large(object)) {
      counts.skipped += 1;
      return;
    }
    counts.objects += 1;
    counts.accepted += accepted[index] ? 1 : 0;
    if (validate(object) !== accepted[index]) {
      counts.different += 1;
      const errors = JSON.stringify(validate.errors).slice(0, 400);
      console.log(`${name}: jsonschema ${accepted[index] ? "accepts" : "rejects"}, ajv: ${errors}: ${JSON.stringify(object).slice(0, 400)}`);
    }
  });
}

const { schemas, objects, accepted, skipped, different } = counts;
console.log(
  `ajv: ${schemas} schemas, ${objects} objects, ${accepted} accepted, ${different} differ (${skipped} with integers that JavaScript rounds left out)`,
);
if (different > 0 || accepted === 0 || accepted === objects) {
  process.exit(1);
}
