"""What is in a manifest of a Kubernetes Indexed Job is what the API (batch/v1, v1) has.

  job_manifest.py FILE          checks it and prints: completions, then NAME=VALUE of the
                                container's environment, then its command, each ended by NUL

Names and types of all fields that the manifest has are checked, required ones are there, and the
rules that belong to Indexed Jobs are kept. Nothing is asked of a cluster."""
import re
import sys

import yaml

LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$")

# Of each field a type, a pattern, a list of one such, or another object; "!" marks required ones.
SECRET = {"name!": LABEL, "key!": str, "optional": bool}
RESOURCES = {"cpu": QUANTITY, "memory": QUANTITY, "ephemeral-storage": QUANTITY}
MOUNT = {"name!": LABEL, "mountPath!": re.compile("/"), "readOnly": bool, "subPath": str}
CONTAINER = {
    "name!": LABEL,
    "image!": re.compile(r"\S+$"),
    "imagePullPolicy": re.compile("(Always|IfNotPresent|Never)$"),
    "env": [{"name!": re.compile("[A-Za-z_][A-Za-z0-9_]*$"), "value": str,
             "valueFrom": {"secretKeyRef": SECRET}}],
    "command": [str],
    "args": [str],
    "resources": {"requests": RESOURCES, "limits": RESOURCES},
    "volumeMounts": [MOUNT],
}
VOLUME = {"name!": LABEL,
          "persistentVolumeClaim": {"claimName!": LABEL, "readOnly": bool}}
SPREAD = {"maxSkew!": int, "topologyKey!": str,
          "whenUnsatisfiable!": re.compile("(DoNotSchedule|ScheduleAnyway)$"),
          "labelSelector": {"matchLabels": dict}}
POD = {
    "metadata": {"labels": dict},
    "spec!": {"restartPolicy!": re.compile("(OnFailure|Never)$"), "containers!": [CONTAINER],
              "volumes": [VOLUME], "topologySpreadConstraints": [SPREAD]},
}
JOB = {
    "apiVersion!": re.compile("batch/v1$"),
    "kind!": re.compile("Job$"),
    "metadata!": {"name!": LABEL, "namespace": LABEL, "labels": dict},
    "spec!": {"completions!": int, "parallelism!": int,
              "completionMode!": re.compile("Indexed$"), "backoffLimit": int,
              "backoffLimitPerIndex": int, "template!": POD},
}


def check(value, shape, where):
    if isinstance(shape, list):
        expect(isinstance(value, list) and value, where, "is no list")
        for i, item in enumerate(value):
            check(item, shape[0], f"{where}[{i}]")
    elif isinstance(shape, dict):
        expect(isinstance(value, dict), where, "is no object")
        known = {name.rstrip("!"): inner for name, inner in shape.items()}
        for name, inner in value.items():
            expect(name in known, where, f"has no field {name}")
            check(inner, known[name], f"{where}.{name}")
        for name in shape:
            expect(not name.endswith("!") or name[:-1] in value, where, f"lacks {name[:-1]}")
    elif isinstance(shape, re.Pattern):
        expect(isinstance(value, str) and shape.match(value), where, f"cannot be {value!r}")
    else:
        is_bool = isinstance(value, bool)
        expect(isinstance(value, shape) and is_bool == (shape is bool), where,
               f"is not of type {shape.__name__}")


def expect(is_right, where, what):
    if not is_right:
        sys.exit(f"{where} {what}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    expect(len(documents) == 1, "the file", "is not one object")
    job = documents[0]
    check(job, JOB, "job")
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    expect(1 <= spec["completions"] <= 65535, "completions", "is out of bounds")
    expect(1 <= spec["parallelism"] <= spec["completions"], "parallelism", "is out of bounds")
    expect(len(pod["containers"]) == 1, "the pod", "has not one container")
    container = pod["containers"][0]
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    for mount in container.get("volumeMounts", []):
        expect(mount["name"] in volumes, mount["name"], "is no volume of the pod")
    output = [str(spec["completions"])]
    for variable in container["env"]:
        expect(("value" in variable) != ("valueFrom" in variable), variable["name"],
               "has not one value")
        if "value" in variable:
            output.append(f"{variable['name']}={variable['value']}")
    output += ["", *container["command"]]
    sys.stdout.write("".join(item + "\0" for item in output))


main()
