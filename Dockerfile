# selfheal in a container: docs/containers.md says how it is used, and which sandbox tier it has.
FROM python:3.12-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY prompts /source/prompts
COPY selfheal_tui /source/selfheal_tui
# Without pip: nothing is installed into it later.
RUN python -m venv --without-pip /opt/selfheal
RUN python -m pip --python /opt/selfheal/bin/python install --quiet --no-cache-dir '/source[openai,serve]'

FROM python:3.12-slim
COPY --from=build /opt/selfheal /opt/selfheal
# Any user may be given with --user, so both folders take any: there is one user in a container.
RUN useradd --uid 1000 --create-home selfheal && mkdir /project /sessions && chmod 1777 /home/selfheal /sessions
# Keys are given when the container starts; none is in the image.
ENV PATH=/opt/selfheal/bin:$PATH HOME=/home/selfheal SELFHEAL_SESSIONS=/sessions TERM=xterm-256color COLORTERM=truecolor
USER 1000:1000
WORKDIR /project
VOLUME /sessions
EXPOSE 8765
# Runs a test in the sandbox: without the sandbox or the sessions folder the container is of no use. 1, as Docker has no
# meaning for other numbers.
HEALTHCHECK --interval=10m --timeout=60s --start-period=60s --retries=2 CMD selfheal doctor || exit 1
ENTRYPOINT ["selfheal"]
